package dev.sluice.policy.kernel;

import dev.sluice.policy.kernel.GeneratedFirewall.Rule;
import java.math.BigInteger;
import java.util.Set;

/** Kernel interface by which {@code iptables-restore} loads rules. */
enum Backend {
    LEGACY("legacy"),
    NFT("nft");

    private final String infix;

    Backend(String infix) {
        this.infix = infix;
    }

    String words() {
        return infix;
    }

    /** Returns the program that loads a text as {@code iptables-save} prints it. */
    String restore(int version) {
        return (version == 4 ? "iptables-" : "ip6tables-") + infix + "-restore";
    }

    /** Matches of which iptables-nft makes expressions of nftables instead of its own. */
    static final Set<MatchKind> TRANSLATED =
            Set.of(
                    MatchKind.TCP_SOURCE_PORT,
                    MatchKind.TCP_DESTINATION_PORT,
                    MatchKind.TCP_FLAGS,
                    MatchKind.UDP_SOURCE_PORT,
                    MatchKind.UDP_DESTINATION_PORT);

    private static final BigInteger LAST_PORT = BigInteger.valueOf(65535);

    /**
     * Returns a policy as this back end takes it. Expressions of nftables read the payload of a
     * later fragment as ports and flags, and iptables-nft leaves out a range of all ports, negated
     * or not.
     */
    GeneratedFirewall taken(GeneratedFirewall firewall) {
        return this == LEGACY
                ? firewall
                : firewall.map(
                        rule ->
                                new Rule(
                                        rule.matches().stream().map(Backend::translated).toList(),
                                        rule.target()));
    }

    private static GeneratedMatch translated(GeneratedMatch match) {
        if (!TRANSLATED.contains(match.kind())) {
            return match;
        }
        boolean all =
                match.inner() instanceof Formula.Range range
                        && range.low().signum() == 0
                        && range.high().equals(LAST_PORT);
        return new GeneratedMatch(
                match.kind(),
                match.negated(),
                match.module(),
                match.option(),
                all && match.negated() ? Formula.ALWAYS.not() : match.inner(),
                Formula.ALWAYS);
    }
}
