package dev.sluice.policy.kubernetes;

import static dev.sluice.policy.model.Condition.all;
import static dev.sluice.policy.model.Condition.is;
import static dev.sluice.policy.model.Condition.not;

import dev.sluice.policy.model.Condition;
import dev.sluice.policy.model.ValueSet;
import dev.sluice.policy.yaml.YamlException;
import dev.sluice.policy.yaml.YamlFields;
import dev.sluice.policy.yaml.YamlNode;
import dev.sluice.schemas.header.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** IP version, protocol and ICMP type of a rule of Calico. */
final class CalicoProtocols {
    private CalicoProtocols() {}

    /**
     * Takes these fields of a rule.
     *
     * @param all takes their conditions
     * @return the protocol of the rule if it has ports, else null
     */
    static @Nullable Protocol take(YamlFields rule, List<Condition> all) throws YamlException {
        Integer version = rule.number("ipVersion", 4, 6);
        if (version != null) {
            all.add(is(Field.IP_VERSION, version == 4 ? Field.VERSION_4 : Field.VERSION_6));
        }
        YamlNode protocol = rule.take("protocol");
        Integer number = protocol == null ? null : number(protocol);
        if (number != null) {
            all.add(is(Field.IP_PROTO, number));
        }
        YamlNode notProtocol = rule.take("notProtocol");
        if (notProtocol != null) {
            all.add(not(is(Field.IP_PROTO, number(notProtocol))));
        }
        icmp(rule, "icmp", number, false, all);
        icmp(rule, "notICMP", number, true, all);
        return number == null ? null : Protocol.numbered(number);
    }

    private static int number(YamlNode node) throws YamlException {
        Integer number = YamlFields.number(node, 1, 255);
        if (number != null) {
            return number;
        }
        return switch (node.string().toUpperCase(Locale.ROOT)) {
            case "TCP" -> 6;
            case "UDP" -> 17;
            case "ICMP" -> 1;
            case "ICMPV6" -> 58;
            case "SCTP" -> 132;
            case "UDPLITE" -> 136;
            default ->
                    throw node.at()
                            .refused(node.string(), "is no protocol of Calico; write its number");
        };
    }

    private static void icmp(
            YamlFields rule,
            String key,
            @Nullable Integer protocol,
            boolean negated,
            List<Condition> all)
            throws YamlException {
        YamlFields icmp = rule.fields(key);
        if (icmp == null) {
            return;
        }
        if (protocol == null || protocol != 1 && protocol != 58) {
            throw icmp.at().refused(icmp.words(), "needs protocol: ICMP or ICMPv6 beside it");
        }
        List<Condition> fits = new ArrayList<>();
        Integer type = icmp.number("type", 0, 255);
        Integer code = icmp.number("code", 0, 255);
        icmp.requireNoMore(key);
        if (type != null) {
            fits.add(new Condition.In(Field.SRC_PORT, ValueSet.of(type)));
        }
        if (code != null) {
            fits.add(new Condition.In(Field.DST_PORT, ValueSet.of(code)));
        }
        Condition both = all(fits.toArray(Condition[]::new));
        all.add(negated ? not(both) : both);
    }
}
