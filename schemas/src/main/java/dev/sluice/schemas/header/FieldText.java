package dev.sluice.schemas.header;

/** Text form of a field's values. */
public enum FieldText {
    NUMBER,
    /** Hexadecimal by {@code sluice headers}, else decimal. */
    HEX,
    MAC,
    ADDRESS,
    /** 0; 1 the first fragment, 2 a later one. */
    FRAGMENT
}
