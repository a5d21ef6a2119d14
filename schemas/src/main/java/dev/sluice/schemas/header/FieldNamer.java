package dev.sluice.schemas.header;

/** Text formats that name fields. */
public enum FieldNamer {
    OPENFLOW,
    CLASSBENCH,
    TRACE
}
