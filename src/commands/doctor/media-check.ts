import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { FOLDERS } from '../../backup/backup-format.js';
import type { Config } from '../../config/config.js';
import { mediaUrlWarning, readFolderId, recordedInstallation } from '../../core/database/installation.js';
import { adviceFor, isBucketProblem, ownerOf } from '../../core/media-storage/bucket-owner.js';
import { openBucket } from '../../core/media-storage/media-places.js';
import { checkPlace } from '../move-media.js';
import { failure, type Finding, ok, reasonOf, warning } from './finding.js';

const ADVICE =
  'Check MEDIA_URL and the other MEDIA_ settings, and that the key may read, write, delete and list objects.';

/** Writes, reads and deletes a file in the bucket of `MEDIA_URL`. @returns no findings if it is not set */
export async function checkMedia(config: Config): Promise<Finding[]> {
  const { url } = config.media;
  return url === '' ? [] : [await checkBucket(url, config)];
}

/**
 * Checks the places of files that the database records: that each bucket can be used and belongs to this installation,
 * that MEDIA_URL names it, and whether a move is unfinished.
 */
export async function checkRecordedMedia(client: Client, config: Config): Promise<Finding[]> {
  const installation = await recordedInstallation(client);
  if (installation === undefined) return checkUnclaimed(config);
  const { media_url: url, media_target: target, folder_id: id } = installation;
  const findings: Finding[] = [];
  const differs = mediaUrlWarning(config, installation);
  if (differs !== null) findings.push(warning('media', differs, 'Until then, the recorded place is used.'));
  if (target !== null) findings.push(unfinished(url, target));
  for (const place of [url, target ?? ''])
    if (place !== '') findings.push(await checkBucket(place, config, id, place !== config.media.url));
  return findings;
}

/** Checks the place that the first start would take for a new database. */
async function checkUnclaimed(config: Config): Promise<Finding[]> {
  const { dataDir, media } = config;
  const id = readFolderId(dataDir);
  if (media.url !== '') return checkUnclaimedBucket(config, id);
  if (id === undefined || !FOLDERS.some((folder) => existsSync(join(dataDir, folder)))) return [];
  const text = `${dataDir} has the files of an installation, but the database is new`;
  const advice =
    'Check that DATABASE_URL names the database of this installation. Set DATA_DIR to another folder for a new one.';
  return [warning('data folder', text, advice)];
}

/** @param id in the data folder, if there is one */
async function checkUnclaimedBucket(config: Config, id: string | undefined): Promise<Finding[]> {
  const { url } = config.media;
  const { place, objects } = openBucket(url, config);
  try {
    const owner = await ownerOf(place);
    return owner === undefined || owner === id ? [] : [foreign(url)];
  } catch (error) {
    if (isBucketProblem(error)) return []; // `checkMedia` has reported it
    throw error;
  } finally {
    objects.close();
  }
}

function unfinished(url: string, target: string): Finding {
  const text = `the move of the files from ${url || 'the data folder'} to ${target || 'the data folder'} is unfinished`;
  const again = `"cairn move-media --to ${target || 'folder'}"`;
  return warning('media', text, `Unless the command is still running, complete the move with ${again}.`);
}

/**
 * @param id of the installation, if it is known: another owner is an error
 * @param writes whether to write, read and delete a file
 */
async function checkBucket(url: string, config: Config, id?: string, writes = true): Promise<Finding> {
  const { place, objects } = openBucket(url, config);
  try {
    if (id !== undefined) {
      const owner = await ownerOf(place);
      if (owner !== undefined && owner !== id) return foreign(url);
    }
    if (!writes) return ok('media', `${url} belongs to this installation`);
    await checkPlace(place);
    return ok('media', `files can be written, read and deleted in ${url}`);
  } catch (error) {
    return failure('media', reasonOf(error), isBucketProblem(error) ? adviceFor(error) : ADVICE);
  } finally {
    objects.close();
  }
}

const foreign = (url: string): Finding =>
  failure(
    'media',
    `${url} belongs to another installation`,
    'A server with these settings would not start. Check that DATABASE_URL names the database of this installation.',
  );
