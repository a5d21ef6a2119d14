package dev.sluice.schemas.header;

/** Packets that can have a field. */
public enum FieldLayer {
    ANY,
    /** Frames with an EtherType. */
    TYPED,
    IP,
    IPV4,
    IPV6,
    /** TCP segments with their ports. */
    TCP,
    /** Frames of a known length, which is not 0; the field's own word tells. */
    MEASURED
}
