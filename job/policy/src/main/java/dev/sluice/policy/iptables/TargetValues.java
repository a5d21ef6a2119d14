package dev.sluice.policy.iptables;

import dev.sluice.policy.RuleSyntaxException;
import java.util.List;
import java.util.Locale;

/** Arguments that options of targets take, where they are some words. */
final class TargetValues {
    private static final List<String> REJECT4 =
            List.of(
                    "icmp-net-unreachable",
                    "net-unreach",
                    "icmp-host-unreachable",
                    "host-unreach",
                    "icmp-proto-unreachable",
                    "proto-unreach",
                    "icmp-port-unreachable",
                    "port-unreach",
                    "icmp-net-prohibited",
                    "net-prohib",
                    "icmp-host-prohibited",
                    "host-prohib",
                    "tcp-reset",
                    "tcp-rst",
                    "icmp-admin-prohibited",
                    "admin-prohib");

    private static final List<String> REJECT6 =
            List.of(
                    "icmp6-no-route",
                    "no-route",
                    "icmp6-adm-prohibited",
                    "adm-prohibited",
                    "icmp6-addr-unreachable",
                    "addr-unreach",
                    "icmp6-port-unreachable",
                    "port-unreach",
                    "tcp-reset",
                    "tcp-rst",
                    "icmp6-policy-fail",
                    "policy-fail",
                    "icmp6-reject-route",
                    "reject-route");

    private static final List<String> LEVELS =
            List.of(
                    "emerg", "alert", "crit", "err", "error", "warn", "warning", "notice", "info",
                    "debug", "panic");

    private TargetValues() {}

    /** Refuses an argument that its option does not take. */
    static void require(Word option, Word value, boolean v6) throws RuleSyntaxException {
        if (option.is("--reject-with")) {
            requireOne(v6 ? REJECT6 : REJECT4, value, "is no answer to a rejected packet");
        } else if (option.is("--log-level") && !value.text().matches("[0-7]")) {
            requireOne(LEVELS, value, "is no level of logs");
        }
    }

    private static void requireOne(List<String> words, Word value, String problem)
            throws RuleSyntaxException {
        String begin = value.text().toLowerCase(Locale.ROOT);
        if (begin.isEmpty() || words.stream().noneMatch(word -> word.startsWith(begin))) {
            throw value.refused(problem + "; write one of " + String.join(", ", words));
        }
    }
}
