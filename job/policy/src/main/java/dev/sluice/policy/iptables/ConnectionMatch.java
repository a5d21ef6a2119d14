package dev.sluice.policy.iptables;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.Tracking;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Conditions of the options {@code --ctdir} and {@code --ctstatus} of {@code -m conntrack}, which a
 * connection tracker knows.
 *
 * <p>A packet without a connection meets none of the module's options, negated or not. Where a
 * {@code --ctstate} stands beside them and holds, the kernel asks for nothing else of such a packet
 * (net/netfilter/xt_conntrack.c).
 */
final class ConnectionMatch {
    private static final Pattern OPTION = Pattern.compile("( !)? (--[a-z]+) ([^ ]+)");

    /** Bits of a connection's status. There are no helpers, so that no connection is expected. */
    private static final Map<String, Condition> STATUS =
            Map.of(
                    "none", Condition.NEVER,
                    "expected", Condition.NEVER,
                    "seen_reply", Condition.is(Field.CONNECTION_ANSWERED, 1),
                    "assured", Condition.is(Field.CONNECTION_ASSURED, 1),
                    "confirmed", Condition.is(Field.CONNECTION_CONFIRMED, 1));

    private ConnectionMatch() {}

    /**
     * The condition of a module's options.
     *
     * @param words {@code -m conntrack} and the options but for {@code --ctstate}
     * @param states whether there is a {@code --ctstate}, too
     */
    static Condition of(String words, boolean states) {
        List<Condition> all = new ArrayList<>(List.of(Tracking.CONNECTED));
        StringBuilder others = new StringBuilder();
        Matcher options = OPTION.matcher(words);
        while (options.find()) {
            List<String> values = List.of(options.group(3).toLowerCase(Locale.ROOT).split(","));
            Condition known =
                    switch (options.group(2)) {
                        case "--ctdir" ->
                                values.equals(List.of("reply"))
                                        ? Tracking.REPLY
                                        : values.equals(List.of("original"))
                                                ? Tracking.ORIGINAL
                                                : null;
                        case "--ctstatus" ->
                                STATUS.keySet().containsAll(values)
                                        ? new Condition.Any(
                                                values.stream().map(STATUS::get).toList())
                                        : null;
                        default -> null;
                    };
            if (known == null) {
                others.append(options.group());
            } else {
                all.add(options.group(1) == null ? known : Condition.not(known));
            }
        }
        if (all.size() == 1) {
            return new Condition.Unknown(words);
        }
        Condition known = new Condition.All(all);
        Condition bits = states ? Condition.any(known, Condition.not(Tracking.CONNECTED)) : known;
        Condition tracked = new Condition.Tracked(bits, words);
        return others.length() == 0
                ? tracked
                : Condition.all(tracked, new Condition.Unknown("-m conntrack" + others));
    }
}
