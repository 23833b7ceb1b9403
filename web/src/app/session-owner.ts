/** The user whose page this is. */
export interface Owner {
  readonly id: number;
  readonly username: string;
}

/** A request was not sent, because it would be sent in the name of another user. */
export class OtherUser extends Error {
  constructor() {
    super('The user of this page is not logged in any more.');
    this.name = 'OtherUser';
  }
}

/**
 * Tabs share the cookies of the session. If another user logs in in one of them, requests of all other pages would be sent
 * in the name of that user. Each session has its own CSRF token, and the server refuses requests with the token of another
 * one. So a request with a token that is known to belong to the owner of the page can be sent.
 */
export class SessionOwner {
  private owner: Owner | undefined;
  private token: string | undefined;

  /**
   * @param readToken reads the CSRF token of the current session
   * @param readUser asks the server who is logged in
   * @param onOther called when this is somebody else
   */
  constructor(
    private readonly readToken: () => string | undefined,
    private readonly readUser: () => Promise<Owner | undefined>,
    private readonly onOther: (other: Owner, owner: Owner) => void,
  ) {}

  /** After a logout or before a login, the page belongs to nobody. */
  forget(): void {
    this.owner = undefined;
    this.token = undefined;
  }

  /** Ensures that the page still belongs to a user. @throws OtherUser */
  require(userId: number): void {
    if (this.owner?.id !== userId) throw new OtherUser();
  }

  /**
   * Notes who is logged in. The first one becomes the owner.
   * @param token the CSRF token before the server was asked
   * @returns whether this is the owner
   */
  note(user: Owner, token: string | undefined): boolean {
    this.owner ??= user;
    if (user.id === this.owner.id) this.token = token;
    else this.onOther(user, this.owner);
    return user.id === this.owner.id;
  }

  /** Asks the server who is logged in. */
  async check(): Promise<'owner' | 'other' | 'nobody'> {
    const token = this.readToken();
    const user = await this.readUser();
    if (user === undefined) return 'nobody';
    return this.note(user, token) ? 'owner' : 'other';
  }

  /**
   * Must be called before every request that changes something.
   * @param token its CSRF token
   * @throws OtherUser
   */
  async admit(token: string | undefined): Promise<void> {
    if (this.owner === undefined || token === this.token) return;
    if ((await this.check()) === 'other') throw new OtherUser();
  }
}
