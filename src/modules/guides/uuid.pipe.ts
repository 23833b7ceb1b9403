import { Injectable, type PipeTransform } from '@nestjs/common';
import { NotFound } from '../../core/http/errors.js';

const UUID = /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i;

/** Path ids that are UUIDs, in their usual form; else the 404 for ids of a wrong form. */
@Injectable()
export class UuidPipe implements PipeTransform<string, string> {
  transform(text: string): string {
    if (!UUID.test(text)) throw new NotFound();
    const digits = text.replaceAll('-', '').toLowerCase();
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }
}
