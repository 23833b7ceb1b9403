import type { Urls } from '../../core/http/urls.js';
import { readBasicUser } from '../users/index.js';
import type { AssetDto } from './asset.dto.js';

export interface AssetRow {
  readonly uuid: string;
  readonly filename: string;
  readonly created_date: string;
  readonly guide_id: number;
}

export const toAsset = (row: AssetRow, urls: Urls): AssetDto => ({
  uuid: row.uuid,
  filename: row.filename,
  created_date: row.created_date,
  owner: readBasicUser(row, 'owner', urls),
  guide_id: row.guide_id,
});
