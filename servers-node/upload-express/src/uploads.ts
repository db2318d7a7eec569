import express, { Router } from 'express';
import createError from 'http-errors';
import { type Limits, onlyForms, parseForm } from './form.ts';
import { ID, type UploadFolder } from './upload-folder.ts';

/** The routes below /uploads. */
export function uploadRouter(folder: UploadFolder, limits: Limits): Router {
  const router = Router();

  router.post('/', onlyForms(limits), parseForm(folder, limits), async (request, response) => {
    const files = (request.files ?? []) as Express.Multer.File[];
    if (files.length === 0) {
      throw createError(400, 'There is no file in files[].');
    }
    await folder.keep(files.map(({ filename }) => filename));
    response.status(201).json({
      files: files.map(({ filename, originalname, size }) => ({ id: filename, name: originalname, size })),
    });
  });

  // #region upload.send-file
  const send = express.static(folder.path, {
    index: false,
    redirect: false,
    // A file has no extension: Express calls it application/octet-stream. A browser saves it, and does not show it.
    setHeaders: (response) => {
      response.setHeader('Content-Disposition', 'attachment');
      response.setHeader('X-Content-Type-Options', 'nosniff');
    },
  });
  router.get('/:id', (request, response, next) => {
    if (ID.test(request.params.id)) {
      send(request, response, next);
    } else {
      next(createError(404, 'No such upload.'));
    }
  });
  // #endregion upload.send-file

  router.delete('/:id', async (request, response) => {
    if (!(await folder.delete(request.params.id))) {
      throw createError(404, 'No such upload.');
    }
    response.status(204).end();
  });

  return router;
}
