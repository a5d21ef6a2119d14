package dev.sluice.policy.iptables;

import dev.sluice.policy.RuleSyntaxException;
import dev.sluice.policy.model.Translation;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.schemas.header.Field;
import java.math.BigInteger;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Destinations that targets of the table nat give packets: one is known, of several none is. */
final class Destinations {
    /** An address, a port, or both. */
    private static final Pattern ONE4 = Pattern.compile("([0-9.]+)?(?::([0-9]{1,5}))?");

    private static final Pattern ONE6 =
            Pattern.compile("\\[([0-9a-fA-F:.]+)](?::([0-9]{1,5}))?|([0-9a-fA-F:.]+)");

    private static final Pattern PORT = Pattern.compile("[0-9]{1,5}");
    private static final int MOST_PORT = 0xffff;

    private Destinations() {}

    /**
     * The translation by a target.
     *
     * @param to what it states; null: nothing
     * @return null: it translates no destination
     */
    static @Nullable Translation translation(String target, @Nullable Word to, boolean v6) {
        Field address = new Addresses(v6).field(false);
        return switch (target) {
            case "DNAT" -> to == null ? unknown(address, false) : dnat(address, to, v6);
            case "NETMAP" ->
                    new Translation(Map.of(), Map.of(address, "the address by NETMAP"), false);
            case "REDIRECT" -> redirect(address, to);
            default -> null;
        };
    }

    private static Translation unknown(Field address, boolean local) {
        return new Translation(
                Map.of(),
                Map.of(address, "the translated address", Field.DST_PORT, "the translated port"),
                local);
    }

    private static Translation dnat(Field address, Word to, boolean v6) {
        Matcher one = (v6 ? ONE6 : ONE4).matcher(to.text());
        if (!one.matches()) {
            return unknown(address, false); // of a range
        }
        String host = v6 && one.group(3) != null ? one.group(3) : one.group(1);
        Translation translation = new Translation(Map.of(), Map.of(), false);
        try {
            if (host != null) {
                ValueSet value = new Addresses(v6).prefix(new Word(host, to.column()));
                BigInteger low = value.ranges().get(0).low();
                translation = translation.and(address, low, "");
            }
            return withPort(translation, one.group(2));
        } catch (RuleSyntaxException e) {
            return unknown(address, false);
        }
    }

    /** To an address of the host: of the interface that the packet came in by. */
    private static Translation redirect(Field address, @Nullable Word to) {
        Translation local = new Translation(Map.of(), Map.of(address, "the host's address"), true);
        return to != null && !PORT.matcher(to.text()).matches()
                ? unknown(address, true)
                : withPort(local, to == null ? null : to.text());
    }

    private static Translation withPort(Translation translation, @Nullable String port) {
        if (port == null) {
            return translation;
        }
        int number = Integer.parseInt(port);
        BigInteger value = number > MOST_PORT || number == 0 ? null : BigInteger.valueOf(number);
        return translation.and(Field.DST_PORT, value, "the translated port");
    }
}
