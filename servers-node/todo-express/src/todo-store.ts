import type { Database } from './database.ts';
import type { Changes, Content, Todo } from './todo.ts';

/** The todos in PostgreSQL. One that is not there is undefined. */
export class TodoStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  // #region todo.list
  /** At most `limit` todos with ids greater than `after`, in ascending order. */
  async list(after: number, limit: number): Promise<Todo[]> {
    const text = 'select id, title, completed from todos where id > $1 order by id limit $2';
    return this.#database.query('list', text, [after, limit]);
  }
  // #endregion todo.list

  async find(id: number): Promise<Todo | undefined> {
    const text = 'select id, title, completed from todos where id = $1';
    const [todo] = await this.#database.query<Todo>('find', text, [id]);
    return todo;
  }

  // #region todo.create
  async insert({ title, completed }: Content): Promise<Todo> {
    const text = 'insert into todos (title, completed) values ($1, $2) returning id, title, completed';
    const [todo] = await this.#database.query<Todo>('insert', text, [title, completed]);
    return todo as Todo;
  }
  // #endregion todo.create

  // #region todo.update
  /** What is undefined stays as it is. One statement reads and writes: of two changes at the same time neither is lost. */
  async update(id: number, { title, completed }: Changes): Promise<Todo | undefined> {
    const text = `update todos set title = coalesce($2, title), completed = coalesce($3, completed) where id = $1
                  returning id, title, completed`;
    const [todo] = await this.#database.query<Todo>('update', text, [id, title, completed]);
    return todo;
  }
  // #endregion todo.update

  async delete(id: number): Promise<Todo | undefined> {
    const text = 'delete from todos where id = $1 returning id, title, completed';
    const [todo] = await this.#database.query<Todo>('delete', text, [id]);
    return todo;
  }
}
