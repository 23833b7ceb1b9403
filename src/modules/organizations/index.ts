export { OrganizationDto } from './organization.dto.js';
export { OrganizationService } from './organization.service.js';
export { OrganizationsModule } from './organizations.module.js';
