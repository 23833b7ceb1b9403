import { Module } from '@nestjs/common';
import { declareEvents } from '../../core/outbox/event-catalogue.js';
import { OrganizationController } from './organization.controller.js';
import { OrganizationDto } from './organization.dto.js';
import { OrganizationEvents } from './organization.events.js';
import { OrganizationRepository } from './organization.repository.js';
import { OrganizationService } from './organization.service.js';

declareEvents({
  resource: 'organization',
  object: OrganizationDto,
  operations: {
    create: 'An organization is made; its owner is its first member',
    update: 'An organization is changed, or gets another owner',
    delete: 'An organization is deleted; its invitations are told of before, its memberships are not',
  },
  ofOrganizations: ['update', 'delete'],
  ofProjects: [],
  newer: ['create'],
});

/** Groups of people with common projects and tasks. */
@Module({
  controllers: [OrganizationController],
  providers: [OrganizationService, OrganizationRepository, OrganizationEvents],
  exports: [OrganizationService],
})
export class OrganizationsModule {}
