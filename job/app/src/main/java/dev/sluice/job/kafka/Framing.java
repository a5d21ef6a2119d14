package dev.sluice.job.kafka;

import dev.sluice.schemas.codec.RegistryFraming;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * What stands before the Avro body of a message: Avro's single-object encoding, or the id under
 * which a schema registry holds the schema.
 *
 * @param schemaId the registry's id; null: single-object encoding
 */
public record Framing(@Nullable Integer schemaId) implements Serializable {
    /** What every reader of Sluice takes without being told. */
    public static final Framing SINGLE_OBJECT = new Framing(null);

    /** A message of single-object encoding in this framing. */
    byte[] frame(byte[] message) {
        return schemaId == null ? message : RegistryFraming.frame(message, schemaId);
    }
}
