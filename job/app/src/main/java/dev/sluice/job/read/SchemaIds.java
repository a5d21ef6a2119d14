package dev.sluice.job.read;

import dev.sluice.job.UsageException;
import dev.sluice.schemas.codec.DeadLetterReason;
import dev.sluice.schemas.codec.MalformedMessageException;
import dev.sluice.schemas.codec.MessageSchemas;
import dev.sluice.schemas.codec.RegistryFraming;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;

/**
 * Schemas by a registry's schema ids, as the user has given them. Immutable.
 *
 * @param fingerprints of the schemas, by id
 */
public record SchemaIds(Map<Integer, Long> fingerprints) {

    /**
     * Reads ids from texts {@code ID=NAME} or {@code ID=NAME.VERSION}.
     *
     * <p>{@code 7=VerdictBlock} is the current schema of that name, {@code 7=VerdictBlock.1} its
     * first version.
     *
     * @throws UsageException if a text has neither form, or no schema has that name and version
     */
    public static SchemaIds parse(Collection<String> texts) {
        Map<Integer, Long> ids = new HashMap<>();
        for (String text : texts) {
            String[] parts = text.split("[=.]", -1);
            if (!text.matches("\\d{1,9}=\\w+(\\.\\d{1,4})?")
                    || !MessageSchemas.NAMES.contains(parts[1])) {
                throw unknown(text);
            }
            List<Schema> released = MessageSchemas.history(parts[1]);
            int version = parts.length == 3 ? Integer.parseInt(parts[2]) : released.size();
            if (version < 1 || version > released.size()) {
                throw unknown(text);
            }
            ids.put(
                    Integer.valueOf(parts[0]),
                    MessageSchemas.fingerprint(released.get(version - 1)));
        }
        return new SchemaIds(ids);
    }

    private static UsageException unknown(String text) {
        return new UsageException(
                "--schema-id %s names no schema; write ID=NAME or ID=NAME.VERSION with what 'sluice schemas' lists, such as 7=VerdictBlock"
                        .formatted(text));
    }

    /**
     * Returns a message in single-object encoding, without a registry's framing.
     *
     * @throws MalformedMessageException if its framing has an id that the user has not given
     */
    public byte[] singleObject(byte[] message) throws MalformedMessageException {
        if (!RegistryFraming.isFramed(message)) {
            return message;
        }
        int id = RegistryFraming.schemaId(message);
        Long fingerprint = fingerprints.get(id);
        if (fingerprint == null) {
            throw new MalformedMessageException(
                    DeadLetterReason.UNKNOWN_SCHEMA,
                    "it has the framing of a schema registry and schema id %d; add --schema-id %d=NAME if it is a message of Sluice"
                            .formatted(id, id));
        }
        return RegistryFraming.unframe(message, fingerprint);
    }
}
