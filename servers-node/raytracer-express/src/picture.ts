import { PNG } from 'pngjs';
import { renderRow } from '../../_shared/raytracer/src/raytracer.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
}

const RGB = { colorType: 2, inputColorType: 2, inputHasAlpha: false } as const;
/** "Sub", each pixel against its left neighbour: as small as a choice line by line here, at a quarter of the time. */
const FILTER = 1;

/** The PNG; undefined if `isWanted` was false after a row, when nobody waits for the rest. */
export function renderPng({ width, height, depth }: Size, isWanted: () => boolean): Buffer | undefined {
  const png = new PNG({ width, height, ...RGB, filterType: FILTER });
  for (let y = 0; y < height; y += 1) {
    renderRow(width, height, depth, y, png.data, 3 * width * y);
    if (!isWanted()) {
      return undefined;
    }
  }
  return PNG.sync.write(png, { ...RGB, filterType: FILTER });
}
