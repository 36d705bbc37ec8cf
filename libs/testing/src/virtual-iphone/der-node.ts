import forge from 'node-forge';

/** Parses DER strictly. Rejects trailing bytes. Does not parse ASN.1 inside a BIT STRING. */
const readDer = forge.asn1.fromDer as unknown as (bytes: forge.util.ByteBuffer, options: object) => forge.asn1.Asn1;
const options = { strict: true, parseAllBytes: true, decodeBitStrings: false };

/** An element of a fully parsed DER structure. */
export class DerNode {
  private constructor(private readonly node: forge.asn1.Asn1) {}

  /**
   * Parses exactly one element in DER.
   * @throws Error for other bytes
   */
  static parse(bytes: Uint8Array): DerNode {
    const text = Buffer.from(bytes).toString('latin1');
    const node = readDer(forge.util.createBuffer(text), options);
    if (forge.asn1.toDer(node).getBytes() !== text) throw new Error('the bytes are BER, but not DER');
    return new DerNode(node);
  }

  /** Returns true for a universal element of this type, such as `Type.SEQUENCE`. */
  isUniversal(type: forge.asn1.Type): boolean {
    return this.node.tagClass === forge.asn1.Class.UNIVERSAL && this.node.type === type;
  }

  /** True for a NULL without content. */
  get isNull(): boolean {
    return this.isUniversal(forge.asn1.Type.NULL) && this.node.value === '';
  }

  /** Returns true if the element has this context tag. */
  isContext(tag: number): boolean {
    return this.node.tagClass === forge.asn1.Class.CONTEXT_SPECIFIC && Number(this.node.type) === tag;
  }

  /** This element, if it is a SEQUENCE. @throws Error otherwise */
  get sequence(): DerNode {
    return this.expect(this.isUniversal(forge.asn1.Type.SEQUENCE), 'a SEQUENCE');
  }

  /** This element, if it is a SET. @throws Error otherwise */
  get set(): DerNode {
    return this.expect(this.isUniversal(forge.asn1.Type.SET), 'a SET');
  }

  /** Returns this element if it has the context tag `[tag]`. @throws Error otherwise */
  context(tag: number): DerNode {
    return this.expect(this.isContext(tag), `tagged [${tag}]`);
  }

  /** The value of a small INTEGER. @throws Error for any other element */
  get integer(): number {
    return this.expect(this.isUniversal(forge.asn1.Type.INTEGER), 'an INTEGER').content.readIntBE(0, 1);
  }

  /** The content of an OCTET STRING. @throws Error for any other element */
  get octets(): Buffer {
    return this.expect(this.isUniversal(forge.asn1.Type.OCTETSTRING), 'an OCTET STRING').content;
  }

  /** The object identifier of an AlgorithmIdentifier without parameters. @throws Error for any other element */
  get algorithm(): string {
    const [algorithm, parameters, ...rest] = this.sequence.children;
    const hasNone = rest.length === 0 && (parameters?.isNull ?? true);
    if (!algorithm || !hasNone) throw new Error('an algorithm has parameters');
    return algorithm.objectIdentifier;
  }

  /** The children of a constructed element; empty for a primitive one. */
  get children(): DerNode[] {
    return Array.isArray(this.node.value) ? this.node.value.map((child) => new DerNode(child)) : [];
  }

  /** Returns the child at this index. @throws Error if there is none */
  child(index: number): DerNode {
    const child = this.children[index];
    if (!child) throw new Error('an element is missing');
    return child;
  }

  /** The content of a primitive element. @throws Error for a constructed element */
  get content(): Buffer {
    if (typeof this.node.value !== 'string') throw new Error('an element is constructed where it must be primitive');
    return Buffer.from(this.node.value, 'latin1');
  }

  /** The object identifier in dotted form. @throws Error for any other element */
  get objectIdentifier(): string {
    if (!this.isUniversal(forge.asn1.Type.OID)) throw new Error('an object identifier is missing');
    return forge.asn1.derToOid(this.content.toString('latin1'));
  }

  /** The time of a UTCTime or GeneralizedTime in DER form: in UTC, with seconds. @throws Error for any other element */
  get time(): Date {
    const text = this.content.toString('latin1');
    const isUtcTime = this.isUniversal(forge.asn1.Type.UTCTIME) && /^\d{12}Z$/.test(text);
    if (!isUtcTime && !(this.isUniversal(forge.asn1.Type.GENERALIZEDTIME) && /^\d{14}Z$/.test(text))) {
      throw new Error(`"${text}" is no time in UTC with seconds`);
    }
    const century = Number(text.slice(0, 2)) < 50 ? '20' : '19';
    const [year, rest] = isUtcTime ? [century + text.slice(0, 2), text.slice(2)] : [text.slice(0, 4), text.slice(4)];
    const time = new Date(rest.replace(/^(..)(..)(..)(..)(..)Z$/, `${year}-$1-$2T$3:$4:$5Z`));
    if (Number.isNaN(time.getTime())) throw new Error(`"${text}" is no time`);
    return time;
  }

  /** The bytes of the whole element. */
  get bytes(): Buffer {
    return Buffer.from(forge.asn1.toDer(this.node).getBytes(), 'latin1');
  }

  /** The bytes of the whole element with a SET tag, which a signature over signed attributes covers (RFC 5652 5.4). */
  get bytesAsSet(): Buffer {
    const { value } = this.node;
    const set = forge.asn1.create(forge.asn1.Class.UNIVERSAL, forge.asn1.Type.SET, true, value);
    return Buffer.from(forge.asn1.toDer(set).getBytes(), 'latin1');
  }

  private expect(isRight: boolean, what: string): this {
    if (!isRight) throw new Error(`an element is not ${what}`);
    return this;
  }
}
