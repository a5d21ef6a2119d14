package dev.sluice.schemas.codec;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
                    "PacketBlock",
                    "PlacedBlock",
                    "PacketHeader",
                    "Verdict",
                    "VerdictBlock",
                    "RuleChange",
                    "RuleStatistics",
                    "DeadLetter");

    private static final Map<String, Schema> CURRENT = new HashMap<>();
    private static final Map<Long, Schema> BY_FINGERPRINT = new HashMap<>();
    private static final Map<String, Long> CURRENT_FINGERPRINT = new HashMap<>();

    static {
        for (String name : NAMES) {
            Schema current = read("/avro/" + name + ".avsc");
            if (current == null) {
                throw new IllegalStateException("schema " + name + " is not on the class path");
            }
            CURRENT.put(name, current);
            CURRENT_FINGERPRINT.put(name, fingerprint(current));
            for (Schema released : history(name)) {
                BY_FINGERPRINT.put(fingerprint(released), released);
            }
            BY_FINGERPRINT.put(fingerprint(current), current);
        }
    }

    private MessageSchemas() {}

    /** The current schema of a message name. */
    public static Schema current(String name) {
        Schema schema = CURRENT.get(name);
        if (schema == null) {
            throw new IllegalArgumentException("no schema '" + name + "'; there are " + NAMES);
        }
        return schema;
    }

    /** Fingerprint of the current schema of a message name. */
    static long currentFingerprint(String name) {
        Long fingerprint = CURRENT_FINGERPRINT.get(name);
        if (fingerprint == null) {
            throw new IllegalArgumentException("no schema '" + name + "'; there are " + NAMES);
        }
        return fingerprint;
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
        return BY_FINGERPRINT.get(fingerprint);
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
