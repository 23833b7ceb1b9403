import type { Extension } from 'cairn/extension';
import { boxesExport, boxesImport } from './boxes-csv.js';

/** The export that the server loads. */
export const extension: Extension = { name: 'boxes', exportFormats: [boxesExport], importFormats: [boxesImport] };
