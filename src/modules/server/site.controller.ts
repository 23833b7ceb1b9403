import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../../core/access/scope.decorator.js';
import { Unversioned } from '../../core/versioning/version.guard.js';

/** A cairn: stones piled up to mark the way. */
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="Cairn">
  <g fill="#3b5b6d"><ellipse cx="32" cy="52" rx="24" ry="8"/><ellipse cx="31" cy="38" rx="17" ry="7"/>
  <ellipse cx="33" cy="26" rx="12" ry="6"/><ellipse cx="32" cy="15" rx="7" ry="5"/></g>
</svg>
`;

/** What clients are told to show of this server. */
@ApiExcludeController()
@Unversioned()
@Public({ throttled: false })
@Controller()
export class SiteController {
  @Get('static/logo.svg')
  logo(@Res() response: Response): void {
    response.setHeader('Content-Type', 'image/svg+xml').setHeader('Cache-Control', 'public, max-age=86400').end(LOGO);
  }
}
