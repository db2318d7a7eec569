import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const TEMPORARY = '.part-';
/** What may wait for the disk: it is written in few large pieces, while the next ones arrive. */
const WRITE_BUFFER_BYTES = 1024 * 1024;
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Whether an error says that there is no room left for a file, on the disk or in somebody's quota. */
export function isFull(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** One file per upload, named by its id; under a temporary name until the whole request has been read. */
export class FileStore {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Deletes what a process that was killed has left half-written. */
  async open(): Promise<void> {
    const names = await readdir(this.folder);
    await Promise.all(names.filter((name) => name.startsWith(TEMPORARY)).map((name) => rm(join(this.folder, name))));
  }

  // #region upload.stream-to-disk
  /** Writes a stream to a temporary file, at the pace of the disk; nothing is left of it if that fails. */
  async write(content: Readable): Promise<{ id: string; size: number }> {
    const id = randomUUID();
    const file = createWriteStream(this.#temporary(id), { flags: 'wx', highWaterMark: WRITE_BUFFER_BYTES });
    try {
      await pipeline(content, file);
    } catch (error) {
      await rm(this.#temporary(id), { force: true });
      throw error;
    }
    return { id, size: file.bytesWritten };
  }

  /** Takes back what `write` wrote. */
  async discard(id: string): Promise<void> {
    await rm(this.#temporary(id), { force: true });
  }

  /** Makes uploads of what `write` wrote: all of it or nothing. */
  async keep(ids: string[]): Promise<void> {
    try {
      await Promise.all(ids.map((id) => rename(this.#temporary(id), join(this.folder, id))));
    } catch (error) {
      await Promise.all(ids.flatMap((id) => [this.discard(id), this.delete(id)]));
      throw error;
    }
  }
  // #endregion upload.stream-to-disk

  /** False if there is no such upload. */
  async delete(id: string): Promise<boolean> {
    if (!FileStore.isId(id)) {
      return false;
    }
    try {
      await unlink(join(this.folder, id));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        return false;
      }
      throw error;
    }
  }

  static isId(text: string): boolean {
    return ID.test(text);
  }

  #temporary(id: string): string {
    return join(this.folder, TEMPORARY + id);
  }
}
