package dev.sluice.job.kafka;

import dev.sluice.schemas.codec.RegistryFraming;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * Framing of a message's Avro body: Avro's single-object encoding, or the schema's id in a schema
 * registry.
 *
 * @param schemaId the registry's id; null: single-object encoding
 */
public record Framing(@Nullable Integer schemaId) implements Serializable {
    /** Framing that every reader of Sluice accepts without options. */
    public static final Framing SINGLE_OBJECT = new Framing(null);

    /** Converts a message from single-object encoding to this framing. */
    byte[] frame(byte[] message) {
        return schemaId == null ? message : RegistryFraming.frame(message, schemaId);
    }
}
