import { syncBuiltinESMExports } from 'node:module';
import { after, before, mock } from 'node:test';

const STEP_MS = 5;
const { setInterval, clearInterval } = globalThis;

/**
 * Makes time stand still whenever the event loop does, which the users share with their room. By the machine's own time
 * everything is late at once if it is busy: nobody is there together, and nobody waits for a poll.
 */
export function passTimeStepwise(): void {
  let steps: NodeJS.Timeout;
  before(() => {
    mock.timers.enable();
    // For what is imported by its name.
    syncBuiltinESMExports();
    mock.method(performance, 'now', () => Date.now());
    // An interval does not make up for what it has missed.
    steps = setInterval(() => mock.timers.tick(STEP_MS), STEP_MS);
  });
  after(() => clearInterval(steps));
}
