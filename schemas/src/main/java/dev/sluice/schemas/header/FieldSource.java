package dev.sluice.schemas.header;

/** Sources that state a field of a packet. */
public enum FieldSource {
    /** All captures and exporters. */
    ALWAYS,
    /** Captures, where rules name the field or a user asks for it. */
    ASKED,
    /** Messages of other exporters; no capture knows the field. */
    MESSAGES
}
