import { z } from 'zod';

// A lone surrogate cannot be sent as it came: UTF-8 has none.
const PRINTABLE = /^[^\p{Cc}\p{Cs}]+$/u;

export const User = z.string().max(32).regex(PRINTABLE, 'must be printable and not empty');
export const NewMessage = z.object({
  user: User,
  text: z.string().max(500).regex(PRINTABLE, 'must be printable and not empty'),
});

export interface Message extends z.infer<typeof NewMessage> {
  id: number;
}
