package dev.sluice.job.report;

import dev.sluice.schemas.codec.PacketField;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Packets counted by some of rule, source, destination and service. Not thread-safe.
 *
 * @param <L> rules, or pairs of rules, that packets are counted by
 */
public final class PacketCounts<L> {
    /** Fields of a packet that a report tells. */
    public static final List<PacketField> FIELDS =
            List.of(
                    PacketField.IP_SRC,
                    PacketField.IP_DST,
                    PacketField.IP_PROTO,
                    PacketField.SRC_PORT,
                    PacketField.DST_PORT);

    private static final ByteBuffer NO_ADDRESS = ByteBuffer.allocate(0);

    private final Set<ReportColumn> by;
    private final TopTable<Key> table;
    private final List<L> rules = new ArrayList<>();
    private final Map<L, Integer> numbers = new HashMap<>();

    /**
     * Packets that a row counts.
     *
     * @param rule number of its label; -1: not asked for
     * @param source empty: not asked for, or the packets have none
     * @param service {@link Service#code}; {@link Service#NONE}: not asked for
     */
    public record Key(int rule, ByteBuffer source, ByteBuffer destination, int service) {}

    /** Fields of a packet. */
    public interface Fields {
        /** The value of a field; null: the packet lacks it. */
        @Nullable Object value(PacketField field);
    }

    /**
     * Counts of 0.
     *
     * @param most most rows that are kept
     */
    public PacketCounts(Set<ReportColumn> by, int most) {
        this.by = Set.copyOf(by);
        table = new TopTable<>(most);
    }

    /** Tells whether packets are counted by a column. */
    boolean isBy(ReportColumn column) {
        return by.contains(column);
    }

    /** The number of a rule, for {@link #add}. */
    public int rule(L rule) {
        Integer known = numbers.putIfAbsent(rule, rules.size());
        if (known == null) {
            rules.add(rule);
            return rules.size() - 1;
        }
        return known;
    }

    /** The number of a rule, or that of another one where many have a number. */
    int rule(L rule, int most, L other) {
        return rules.size() < most || numbers.containsKey(rule) ? rule(rule) : rule(other);
    }

    /** Counts a packet, and returns its row; length and time as of {@link TopTable#add}. */
    public TopTable.Entry<Key> add(int rule, Fields of, long length, long timeNs) {
        Key key =
                new Key(
                        by.contains(ReportColumn.RULE) ? rule : -1,
                        address(of, ReportColumn.SOURCE, PacketField.IP_SRC),
                        address(of, ReportColumn.DESTINATION, PacketField.IP_DST),
                        by.contains(ReportColumn.SERVICE) ? service(of) : Service.NONE);
        return table.add(key, length, timeNs);
    }

    /** Counts packets of a rule alone, as {@link TopTable#add(Object, long, long, long, long)}. */
    TopTable.Entry<Key> add(L rule, long packets, long bytes, long firstNs, long lastNs) {
        Key key = new Key(rule(rule), NO_ADDRESS, NO_ADDRESS, Service.NONE);
        return table.add(key, packets, bytes, firstNs, lastNs);
    }

    /** A row of a rule that no packet met, which is not counted. */
    TopTable.Entry<Key> unmet(L rule, String example) {
        TopTable.Entry<Key> row =
                new TopTable.Entry<>(new Key(rule(rule), NO_ADDRESS, NO_ADDRESS, Service.NONE), 0);
        row.example(example);
        return row;
    }

    private static int service(Fields of) {
        return Service.code(
                of.value(PacketField.IP_PROTO),
                of.value(PacketField.SRC_PORT),
                of.value(PacketField.DST_PORT));
    }

    private ByteBuffer address(Fields of, ReportColumn column, PacketField field) {
        Object value = by.contains(column) ? of.value(field) : null;
        return value instanceof ByteBuffer bytes ? bytes : NO_ADDRESS;
    }

    /** Tells whether fields of packets are asked for. */
    boolean asksPackets() {
        return !by.equals(Set.of(ReportColumn.RULE));
    }

    /** Number of packets that were counted. */
    public long packets() {
        return table.packets();
    }

    /** The counts. */
    TopTable<Key> table() {
        return table;
    }

    /** The rule of a number; null: rules are not asked for. */
    @Nullable L label(Key key) {
        return key.rule < 0 ? null : rules.get(key.rule);
    }
}
