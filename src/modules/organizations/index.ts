import { Module } from '@nestjs/common';
import { OrganizationController } from './organization.controller.js';
import { OrganizationRepository } from './organization.repository.js';
import { OrganizationService } from './organization.service.js';

export { OrganizationDto } from './organization.dto.js';
export { OrganizationService } from './organization.service.js';

/** Groups of people with common projects and tasks. */
@Module({
  controllers: [OrganizationController],
  providers: [OrganizationService, OrganizationRepository],
  exports: [OrganizationService],
})
export class OrganizationsModule {}
