// Build of the inspector page.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes `dist/inspector`. */
export async function bundle({ write, common, output, root }) {
  const source = join(root, 'src/features/inspector/browser');
  const dir = join(root, 'dist/inspector');
  await write(
    { ...common, platform: 'browser', input: { app: join(source, 'app.ts') } },
    { ...output, dir, format: 'esm', codeSplitting: false },
  );
  for (const name of ['index.html', 'style.css']) {
    copyFileSync(join(source, name), join(dir, name));
  }
}
