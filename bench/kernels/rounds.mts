// Renders a picture again and again: `node rounds.mts WIDTH HEIGHT DEPTH ROUNDS`. Prints its SHA-256, then the processor
// seconds of each.
import { createHash } from 'node:crypto';
import { render } from '../../servers-node/_shared/raytracer/src/raytracer.ts';

const [width = 0, height = 0, depth = 0, rounds = 0] = process.argv.slice(2).map(Number);
console.log(createHash('sha256').update(render(width, height, depth)).digest('hex'));
for (let round = 0; round < rounds; round += 1) {
  const begin = process.threadCpuUsage();
  render(width, height, depth);
  const { user, system } = process.threadCpuUsage(begin);
  console.log((user + system) / 1e6);
}
