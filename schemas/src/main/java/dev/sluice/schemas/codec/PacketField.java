package dev.sluice.schemas.codec;

import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.FieldBits;
import dev.sluice.schemas.header.FieldSource;
import dev.sluice.schemas.header.FieldText;
import dev.sluice.schemas.header.HeaderWord;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A field of a packet in messages: the rows of {@link Field} of one name. In a {@code PacketHeader}
 * and a {@code Verdict} it is a field of its own, in blocks the columns that hold it.
 *
 * <p>Values are what Avro makes of them: {@link Integer}, {@link Long} (MAC addresses) or {@link
 * ByteBuffer} (IP addresses, 4 or 16 bytes).
 */
public final class PacketField {
    private static final List<PacketField> ALL = of(List.of(Field.values()));

    public static final PacketField IP_SRC = of(Field.IPV4_SRC);
    public static final PacketField IP_DST = of(Field.IPV4_DST);
    public static final PacketField IP_PROTO = of(Field.IP_PROTO);
    public static final PacketField SRC_PORT = of(Field.SRC_PORT);
    public static final PacketField DST_PORT = of(Field.DST_PORT);

    private final int ordinal;
    private final String key;
    private final String label;
    private final List<Field> rows;
    private final long wordBits;

    private PacketField(int ordinal, String key, List<Field> rows) {
        this.ordinal = ordinal;
        this.key = key;
        this.label = key.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        this.rows = List.copyOf(rows);
        this.wordBits = rows.stream().mapToLong(FieldBits::wordBits).reduce(0, (a, b) -> a | b);
    }

    /** The fields of the rows of a table, in its order. */
    static List<PacketField> of(List<Field> table) {
        Map<String, List<Field>> named = new LinkedHashMap<>();
        for (Field row : table) {
            if (!row.avro().isEmpty()) {
                named.computeIfAbsent(row.avro(), key -> new ArrayList<>()).add(row);
            }
        }
        List<PacketField> fields = new ArrayList<>();
        named.forEach((key, rows) -> fields.add(new PacketField(fields.size(), key, rows)));
        return List.copyOf(fields);
    }

    /** The field that has a row of the table, which messages must have. */
    public static PacketField of(Field row) {
        return named(row.avro()).orElseThrow();
    }

    /** The field with a name in the schemas of headers and verdicts, if it is one. */
    public static Optional<PacketField> named(String key) {
        return ALL.stream().filter(field -> field.key.equals(key)).findFirst();
    }

    /** All fields. */
    public static List<PacketField> values() {
        return ALL;
    }

    /** Position among all fields, from 0. */
    public int ordinal() {
        return ordinal;
    }

    /** Its name in messages: {@code ipSrc}. */
    public String key() {
        return key;
    }

    /** Its name on the command line and in tables: {@code ip-src}. */
    public String label() {
        return label;
    }

    /** Its rows in the table. */
    public List<Field> rows() {
        return rows;
    }

    /** Text form of its values. */
    public FieldText text() {
        return rows.get(0).text();
    }

    /** Sources that state it. */
    public FieldSource source() {
        return rows.get(0).source();
    }

    /** Bit w set: header word w is needed to tell the field. */
    public long wordBits() {
        return wordBits;
    }

    /** The words that are needed to tell the fields: bit w for header word w. */
    public static long wordBits(Collection<PacketField> fields) {
        return fields.stream().mapToLong(PacketField::wordBits).reduce(0, (a, b) -> a | b);
    }

    /**
     * The field's value in a header; null where the packet lacks it.
     *
     * @param words {@link HeaderWord#COUNT} words, of which those of {@link #wordBits} are set
     */
    public @Nullable Object value(int[] words) {
        for (Field row : rows) {
            if (FieldBits.isIn(words, row)) {
                return FieldBits.value(words, row);
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return label;
    }
}
