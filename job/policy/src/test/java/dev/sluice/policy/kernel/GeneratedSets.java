package dev.sluice.policy.kernel;

import dev.sluice.policy.kernel.MatchKind.MatchDraft;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/** Sets of ipset that a generated policy uses, one a kind. */
final class GeneratedSets {
    private static final List<Integer> PROTOCOLS = List.of(ProbePacket.TCP, ProbePacket.UDP);

    private static final int PAIRS = 12;

    private final String prefix;
    private final List<Member> addresses = new ArrayList<>();
    private final List<Member> networks = new ArrayList<>();
    private final List<Member> ports = new ArrayList<>();

    /** Member of a set: a prefix, for a set of ports also protocol and port. */
    private record Member(BigInteger value, BigInteger mask, int protocol, int port, String text) {
        Formula holds(ProbeField address) {
            return Formula.bits(address, value, mask);
        }

        Formula holds(ProbeField address, ProbeField portField) {
            return Formula.all(
                    holds(address),
                    Formula.is(ProbeField.PROTOCOL, protocol),
                    Formula.is(portField, port));
        }
    }

    GeneratedSets(ValuePool pool) {
        this.prefix = "v" + pool.version() + "-";
        BigInteger ones = BigInteger.ONE.shiftLeft(pool.bits()).subtract(BigInteger.ONE);
        for (int i = 0; i < 4; i++) {
            BigInteger address = pool.address();
            addresses.add(new Member(address, ones, 0, 0, pool.text(address)));
            int length = pool.bits() / 4 + pool.below(pool.bits() * 3 / 4) + 1;
            length = Math.min(length, pool.bits());
            BigInteger mask = ones.shiftLeft(pool.bits() - length).and(ones);
            BigInteger network = pool.address().and(mask);
            networks.add(new Member(network, mask, 0, 0, pool.text(network) + "/" + length));
            pair(pool, address, ones);
        }
        for (int i = 0; i < PAIRS; i++) { // so many that a negation is asked for by a bit
            pair(pool, pool.address(), ones);
        }
    }

    private void pair(ValuePool pool, BigInteger address, BigInteger ones) {
        int protocol = pool.one(PROTOCOLS);
        int port = pool.port();
        String name = protocol == ProbePacket.TCP ? "tcp" : "udp";
        String text = "%s,%s:%d".formatted(pool.text(address), name, port);
        ports.add(new Member(address, ones, protocol, port, text));
    }

    /** Returns the sets as {@code ipset save} prints them. */
    String save() {
        String family = prefix.equals("v4-") ? "inet" : "inet6";
        StringBuilder text = new StringBuilder();
        save(text, "addresses", "hash:ip family " + family, addresses);
        save(text, "networks", "hash:net family " + family, networks);
        save(text, "ports", "hash:ip,port family " + family, ports);
        return text.toString();
    }

    private void save(StringBuilder text, String name, String kind, List<Member> members) {
        text.append("create ").append(prefix).append(name).append(' ').append(kind).append('\n');
        members.stream()
                .map(Member::text)
                .distinct()
                .forEach(m -> text.append("add " + prefix + name + " " + m + "\n"));
    }

    MatchDraft match(ValuePool pool) {
        boolean source = pool.chance(2);
        ProbeField address = source ? ProbeField.SOURCE : ProbeField.DESTINATION;
        String flag = source ? "src" : "dst";
        return switch (pool.below(3)) {
            case 0 ->
                    draft(
                            "addresses " + flag,
                            addresses.stream().map(m -> m.holds(address)).toList());
            case 1 ->
                    draft(
                            "networks " + flag,
                            networks.stream().map(m -> m.holds(address)).toList());
            default -> {
                boolean ofSource = pool.chance(2);
                ProbeField port = ofSource ? ProbeField.SOURCE_PORT : ProbeField.DESTINATION_PORT;
                // A later fragment has no port and is in no set; a negation holds for it.
                Formula inner =
                        Formula.all(
                                MatchDrafts.NO_LATER_FRAGMENT,
                                Formula.any(
                                        ports.stream().map(m -> m.holds(address, port)).toList()));
                yield new MatchDraft(
                        "set",
                        "--match-set " + prefix + "ports " + flag + (ofSource ? ",src" : ",dst"),
                        inner);
            }
        };
    }

    private MatchDraft draft(String words, List<Formula> members) {
        return new MatchDraft("set", "--match-set " + prefix + words, Formula.any(members));
    }
}
