import { z } from 'zod';

export const USER_RULE = 'must be a string of 1 to 32 characters.';
export const TEXT_RULE = 'must be a string of 1 to 500 characters.';

// By the flag u, a character is a code point. Cc are control characters; Cs are lone surrogates, which no UTF-8 has.
export const User = z.string(USER_RULE).regex(/^[^\p{Cc}\p{Cs}]{1,32}$/u, USER_RULE);
export const Text = z.string(TEXT_RULE).regex(/^[^\p{Cc}\p{Cs}]{1,500}$/u, TEXT_RULE);

/** What is posted over HTTP. */
export const NewMessage = z.object({ user: User, text: Text });

export interface Message {
  id: number;
  user: string;
  text: string;
}
