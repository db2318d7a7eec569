import { randomInt } from 'node:crypto';
import { z } from 'zod';

/** What a client says of a link. */
export const NewLink = z.object({
  url: z
    .string()
    .max(2_048)
    // In a Location field: no line break, nothing beyond ASCII. URL takes both, and a URL without // or a host.
    .regex(/^https?:\/\/(?![/?#\\])[!-~]+$/i, 'must be an http or https URL in ASCII')
    .refine((url) => URL.canParse(url), 'must be a URL'),
});

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export function randomHash(): string {
  return Array.from({ length: 6 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
