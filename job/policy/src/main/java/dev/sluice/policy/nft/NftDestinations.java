package dev.sluice.policy.nft;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Translation;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Destinations that statements of nat give packets: one is known, of several none is. */
final class NftDestinations {
    private static final String ADDRESS = "the translated address";

    private NftDestinations() {}

    /** The translation by a statement; null: it translates no destination. */
    static @Nullable Translation of(Node statement, String family) throws RefusedException {
        String key = statement.key();
        if (!key.equals("dnat") && !key.equals("redirect")) {
            return null;
        }
        Node value = statement.inner();
        Translation translation = new Translation(Map.of(), Map.of(), key.equals("redirect"));
        Node address = value.get("addr");
        if (address != null && address.isText() && value.get("last") == null) {
            boolean six = address.text().indexOf(':') >= 0;
            translation =
                    translation.and(
                            six ? Field.IPV6_DST : Field.IPV4_DST,
                            one(address, six ? DataType.IPV6 : DataType.IPV4),
                            ADDRESS);
        } else if (address != null || key.equals("redirect")) {
            Map<Field, String> unknown = new HashMap<>();
            unknown.put(family.equals("ip6") ? Field.IPV6_DST : Field.IPV4_DST, ADDRESS);
            unknown.put(family.equals("ip") ? Field.IPV4_DST : Field.IPV6_DST, ADDRESS);
            if (address != null) { // maybe with a port
                unknown.put(Field.DST_PORT, "the translated port");
            }
            translation = new Translation(Map.of(), unknown, translation.local());
        }
        Node port = value.get("port");
        return port == null
                ? translation
                : translation.and(
                        Field.DST_PORT,
                        port.isText() ? one(port, DataType.PORT) : null,
                        "the translated port");
    }

    /** Refuses what is neither an address or port nor an expression of one. */
    static void requireTarget(Node target, boolean address) throws RefusedException {
        if (target.isText() || target.key().matches("range|prefix")) {
            boolean six = target.words().indexOf(':') >= 0;
            Values.of(target, !address ? DataType.PORT : six ? DataType.IPV6 : DataType.IPV4);
        }
    }

    /** The IP version of the packets that a statement translates; others go on behind it. */
    static Condition version(Node value) {
        Node family = value.get("family");
        Node address = value.get("addr");
        String words = family != null ? family.text() : address == null ? "" : address.text();
        boolean six = words.equals("ip6") || words.indexOf(':') >= 0;
        return words.isEmpty() ? Condition.ALWAYS : six ? Loads.V6 : Loads.V4;
    }

    private static @Nullable BigInteger one(Node node, DataType type) throws RefusedException {
        ValueSet values = Values.of(node, type);
        BigInteger low = values.ranges().get(0).low();
        return values.equals(ValueSet.of(low, low)) ? low : null;
    }
}
