package dev.sluice.schemas.codec;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.avro.Schema;
import org.apache.avro.SchemaNormalization;
import org.jspecify.annotations.Nullable;

/**
 * The schemas of all messages: the current one of each name, and every one that was ever released,
 * by its fingerprint (CRC-64-AVRO of the parsing canonical form).
 *
 * <p>Released schemas are {@code /avro/history/NAME.N.avsc} on the class path, N from 1; the
 * current one, {@code /avro/NAME.avsc}, is the last of them. Thread-safe.
 */
public final class MessageSchemas {
    /** Names of all message schemas. */
    public static final List<String> NAMES =
            List.of(
                    "PacketBlock PlacedBlock PacketHeader Verdict VerdictBlock RuleChange RuleStatistics DeadLetter Connection ShadowCount"
                            .split(" "));

    private record Current(Schema schema, long fingerprint) {}

    private static final Map<String, Current> CURRENT = new HashMap<>();

    /** Fingerprints of all released schemas in order, which are found without a box. */
    private static final long[] FINGERPRINTS;

    private static final Schema[] RELEASED;

    static {
        TreeMap<Long, Schema> released = new TreeMap<>();
        for (String name : NAMES) {
            Schema current = read("/avro/" + name + ".avsc");
            if (current == null) {
                throw new IllegalStateException("schema " + name + " is not on the class path");
            }
            CURRENT.put(name, new Current(current, fingerprint(current)));
            history(name).forEach(schema -> released.put(fingerprint(schema), schema));
            released.put(fingerprint(current), current);
        }
        FINGERPRINTS = released.keySet().stream().mapToLong(Long::longValue).toArray();
        RELEASED = released.values().toArray(Schema[]::new);
    }

    private MessageSchemas() {}

    /** The current schema of a message name. */
    public static Schema current(String name) {
        return ofName(name).schema;
    }

    /** Fingerprint of the current schema of a message name. */
    static long currentFingerprint(String name) {
        return ofName(name).fingerprint;
    }

    private static Current ofName(String name) {
        Current current = CURRENT.get(name);
        if (current == null) {
            throw new IllegalArgumentException("no schema '" + name + "'; there are " + NAMES);
        }
        return current;
    }

    /** Released schemas of a name, oldest first. */
    public static List<Schema> history(String name) {
        List<Schema> released = new ArrayList<>();
        for (int n = 1; ; n++) {
            Schema schema = read("/avro/history/" + name + "." + n + ".avsc");
            if (schema == null) {
                return released;
            }
            released.add(schema);
        }
    }

    /** The schema with a fingerprint, or null where none was ever released. */
    static @Nullable Schema byFingerprint(long fingerprint) {
        int at = Arrays.binarySearch(FINGERPRINTS, fingerprint);
        return at < 0 ? null : RELEASED[at];
    }

    /** Fingerprint of a schema as single-object encoding uses it. */
    public static long fingerprint(Schema schema) {
        return SchemaNormalization.parsingFingerprint64(schema);
    }

    private static @Nullable Schema read(String resource) {
        try (InputStream in = MessageSchemas.class.getResourceAsStream(resource)) {
            return in == null ? null : new Schema.Parser().parse(in);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read schema " + resource, e);
        }
    }
}
