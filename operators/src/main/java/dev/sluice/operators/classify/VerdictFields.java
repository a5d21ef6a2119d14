package dev.sluice.operators.classify;

import dev.sluice.schemas.codec.PacketField;
import java.io.Serializable;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Fields that travel with verdicts beside rule and version. Immutable.
 *
 * <p>Blocks carry whole header words. A field therefore brings along the fields that share its
 * words, all unchanged from the packet block. Single verdicts carry the fields alone, and always
 * their action.
 *
 * @param bits bit n set: the n-th {@link PacketField} travels
 * @param actions whether blocks name the actions of their rules
 * @param passed how blocks have the columns that pass through
 */
public record VerdictFields(long bits, boolean actions, PassedColumns passed)
        implements Serializable {
    /** Nothing more. */
    public static final VerdictFields NONE = new VerdictFields(0, false, PassedColumns.COPIED);

    /** Addresses, protocol and ports. */
    public static final VerdictFields FIVE_TUPLE =
            of(
                    List.of(
                            PacketField.IP_SRC,
                            PacketField.IP_DST,
                            PacketField.IP_PROTO,
                            PacketField.SRC_PORT,
                            PacketField.DST_PORT));

    private static final VerdictFields ALL = of(PacketField.values());
    private static final String ACTION = "action";

    /** These fields, without actions. */
    public static VerdictFields of(Collection<PacketField> fields) {
        long bits = 0;
        for (PacketField field : fields) {
            bits |= 1L << field.ordinal();
        }
        return new VerdictFields(bits, false, PassedColumns.COPIED);
    }

    /**
     * Reads a list of names, separated by commas: labels of {@link PacketField}s, {@code 5-tuple},
     * {@code action}, {@code all} (every field and the action), {@code none}.
     *
     * @throws IllegalArgumentException if a name is unknown, naming all
     */
    public static VerdictFields parse(String text) {
        VerdictFields all = NONE;
        for (String name : text.toLowerCase(Locale.ROOT).split(",", -1)) {
            all = all.with(named(name.strip()));
        }
        return all;
    }

    private static VerdictFields named(String name) {
        return switch (name) {
            case "none" -> NONE;
            case "all" -> new VerdictFields(ALL.bits, true, PassedColumns.COPIED);
            case "5-tuple" -> FIVE_TUPLE;
            case ACTION -> new VerdictFields(0, true, PassedColumns.COPIED);
            default ->
                    PacketField.values().stream()
                            .filter(field -> field.label().equals(name))
                            .findFirst()
                            .map(field -> of(List.of(field)))
                            .orElseThrow(
                                    () ->
                                            new IllegalArgumentException(
                                                    "'"
                                                            + name
                                                            + "' is no field; there are none, all, 5-tuple, action, "
                                                            + ALL.fields().stream()
                                                                    .map(PacketField::label)
                                                                    .collect(
                                                                            Collectors.joining(
                                                                                    ", "))));
        };
    }

    /** These and another one. */
    VerdictFields with(PacketField field) {
        return with(of(List.of(field)));
    }

    /** These and others. */
    public VerdictFields with(VerdictFields more) {
        return new VerdictFields(bits | more.bits, actions || more.actions, passed);
    }

    /** The same, where blocks have columns that pass through in another way. */
    public VerdictFields with(PassedColumns way) {
        return new VerdictFields(bits, actions, way);
    }

    /** Tells whether a field travels. */
    public boolean has(PacketField field) {
        return (bits >>> field.ordinal() & 1) == 1;
    }

    /** The fields that travel. */
    public List<PacketField> fields() {
        return PacketField.values().stream().filter(this::has).toList();
    }

    /** The header words that hold them: bit w for word w. */
    long wordBits() {
        return PacketField.wordBits(fields());
    }
}
