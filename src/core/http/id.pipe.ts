import { Injectable, type PipeTransform } from '@nestjs/common';
import { NotFound } from './errors.js';

const MAX_ID = 2 ** 31 - 1;

/**
 * Parses ids in paths. Anything but digits is a 404; numbers beyond the column's range become an id that no row has.
 */
@Injectable()
export class IdPipe implements PipeTransform<string, number> {
  transform(text: string): number {
    if (!/^-?\d+$/.test(text)) throw new NotFound();
    const id = Number(text);
    return id > 0 && id <= MAX_ID ? id : 0;
  }
}
