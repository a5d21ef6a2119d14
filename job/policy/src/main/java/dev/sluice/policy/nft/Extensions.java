package dev.sluice.policy.nft;

import dev.sluice.policy.model.Condition;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Conditions on the extension headers of IPv6. */
final class Extensions {
    /** Headers by their number where a protocol stands; the order of several is not known. */
    private static final Map<Integer, Integer> BITS =
            Map.of(
                    0, Field.EXTENSION_HOP_BY_HOP,
                    43, Field.EXTENSION_ROUTING,
                    44, Field.EXTENSION_FRAGMENT,
                    51, Field.EXTENSION_AUTHENTICATION,
                    60, Field.EXTENSION_DESTINATION_OPTIONS);

    /** Numbers of headers that may stand before others, of which Sluice notes nothing. */
    private static final List<Integer> OTHERS = List.of(135, 139, 140);

    private Extensions() {}

    /** The condition that a header exists; null: no field tells. */
    static @Nullable Condition exists(String name) {
        return switch (name) {
            case "hbh" -> has(Field.EXTENSION_HOP_BY_HOP);
            case "rt" -> has(Field.EXTENSION_ROUTING);
            case "frag" -> has(Field.EXTENSION_FRAGMENT);
            case "dst" -> has(Field.EXTENSION_DESTINATION_OPTIONS);
            default -> null;
        };
    }

    private static Condition has(int bit) {
        return new Condition.Bits(Field.IPV6_EXTENSIONS, bit, bit);
    }

    /** Classes of packets by the number of the first header behind that of IPv6. */
    static List<Loading.PacketClass> firstHeaders() {
        List<Condition> none = new ArrayList<>();
        none.add(Condition.is(Field.IPV6_EXTENSIONS_PRESENT, 1));
        BITS.values().stream().sorted().forEach(bit -> none.add(Condition.not(has(bit))));
        List<Loading.PacketClass> classes = new ArrayList<>();
        for (int number = 0; number <= 0xff; number++) {
            classes.add(new Loading.PacketClass(BigInteger.valueOf(number), first(number, none)));
        }
        return classes;
    }

    private static Condition first(int number, List<Condition> none) {
        Condition order = new Condition.Unknown("the order of extension headers");
        Integer bit = BITS.get(number);
        if (OTHERS.contains(number)) {
            return order;
        }
        if (bit == null) {
            return Conditions.all(Conditions.all(none), Condition.is(Field.IP_PROTO, number));
        }
        if (bit == Field.EXTENSION_HOP_BY_HOP) {
            return has(bit); // it always comes first
        }
        List<Condition> alone = new ArrayList<>();
        BITS.values().stream()
                .filter(other -> !other.equals(bit))
                .sorted()
                .forEach(other -> alone.add(Condition.not(has(other))));
        return Conditions.all(
                has(bit),
                Condition.not(has(Field.EXTENSION_HOP_BY_HOP)),
                Condition.any(Conditions.all(alone), order));
    }
}
