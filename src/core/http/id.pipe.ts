import { Injectable, type PipeTransform } from '@nestjs/common';
import { NotFound } from './errors.js';

const MAX_ID = 2 ** 31 - 1;

/** Path ids: digits only, else the 404 for ids of a wrong form; numbers beyond the column become an id nobody has. */
@Injectable()
export class IdPipe implements PipeTransform<string, number> {
  transform(text: string): number {
    if (!/^-?\d+$/.test(text)) throw new NotFound();
    const id = Number(text);
    return id > 0 && id <= MAX_ID ? id : 0;
  }
}
