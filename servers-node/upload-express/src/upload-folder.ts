import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import createError from 'http-errors';
import type { StorageEngine } from 'multer';

const PART = '.part-';
/** Waits for the disk, while the next bytes come: few large writes cost less than many small ones. */
const WRITE_BUFFER = 1024 * 1024;
export const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * One file for each upload, with its id as its name. Until its form has ended, `.part-` stands before the id.
 * A storage engine for multer: its own `diskStorage` leaves the files of forms that break off, or meet a full disk.
 */
export class UploadFolder implements StorageEngine {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** The files of forms that have not ended: at a start, what a process that was killed has left. */
  async parts(): Promise<string[]> {
    const names = await readdir(this.path);
    return names.filter((name) => name.startsWith(PART)).map((name) => join(this.path, name));
  }

  // #region upload.stream-to-disk
  _handleFile: StorageEngine['_handleFile'] = ({ res: response }, { stream }, done) => {
    // busboy leaves a file without an end if two dashes follow a delimiter in the header of a part.
    response?.once('close', () => stream.destroyed || stream.destroy(createError(400, 'The form has no end.')));
    this.#write(randomUUID(), stream).then((file) => done(null, file), done);
  };

  _removeFile: StorageEngine['_removeFile'] = (_request, { filename }, done) => {
    this.#deletePart(filename).then(() => done(null), done);
  };

  /** Makes uploads of what multer has stored: of all files, or of none. */
  async keep(ids: string[]): Promise<void> {
    // Each has ended before any is deleted: a file that gets its name afterwards would stay.
    const renamings = await Promise.allSettled(ids.map((id) => rename(this.#part(id), join(this.path, id))));
    const failed = renamings.find((one) => one.status === 'rejected');
    if (failed) {
      await Promise.allSettled(ids.flatMap((id) => [this.#deletePart(id), this.delete(id)]));
      throw failed.reason;
    }
  }

  /** Writes a file at the pace of the disk. */
  async #write(id: string, content: Readable): Promise<Partial<Express.Multer.File>> {
    const file = createWriteStream(this.#part(id), { flags: 'wx', highWaterMark: WRITE_BUFFER });
    try {
      await pipeline(content, file);
    } catch (error) {
      await this.#deletePart(id);
      throw error;
    }
    return { filename: id, size: file.bytesWritten };
  }
  // #endregion upload.stream-to-disk

  /** False if there is no such upload. */
  async delete(id: string): Promise<boolean> {
    if (!ID.test(id)) {
      return false;
    }
    try {
      await rm(join(this.path, id));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        return false;
      }
      throw error;
    }
  }

  #part(id: string): string {
    return join(this.path, PART + id);
  }

  async #deletePart(id: string): Promise<void> {
    await rm(this.#part(id), { force: true });
  }
}
