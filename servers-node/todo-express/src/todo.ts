import { z } from 'zod';

/** What a client says of a todo. */
export const Content = z.object({
  title: z
    .string()
    .max(200)
    .regex(/\S/, 'must not be blank')
    // PostgreSQL refuses U+0000, and would be sent U+FFFD for a lone surrogate.
    .refine((title) => title.isWellFormed() && !title.includes('\0'), 'must be Unicode without U+0000'),
  completed: z.boolean(),
});
export const NewTodo = Content.extend({ completed: z.boolean().default(false) });
export const Changes = Content.partial();
export type Content = z.infer<typeof Content>;
export type Changes = z.infer<typeof Changes>;

export interface Todo extends Content {
  id: number;
}
