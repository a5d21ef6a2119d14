package dev.sluice.policy.logs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

/** Statements that log are found in the texts of rules, with their prefixes. */
class LogStatementTest {
    private static void logs(String prefix, boolean early, String rule) {
        assertEquals(new LogStatement(prefix, early), LogStatement.of(rule), rule);
    }

    @Test
    void targetsOfIptablesAreFound() {
        logs("", false, "-A INPUT -j LOG");
        logs(
                "DROP: ",
                false,
                "-A INPUT -s 10.0.0.0/8 -j LOG --log-prefix \"DROP: \" --log-level 4");
        logs("dns:", false, "-A INPUT -p udp -j LOG --log-prefix dns:");
        logs(
                "a\"b\\c ",
                false,
                "-A INPUT -j NFLOG --nflog-prefix \"a\\\"b\\\\c \" --nflog-group 5");
        assertNull(LogStatement.of("-A INPUT -m comment --comment \"-j LOG log\" -j DROP"));
        assertNull(LogStatement.of("-A INPUT -j LOGDROP"));
    }

    @Test
    void statementsOfNftAreFoundAndWhetherConditionsFollow() {
        logs("", false, "log");
        logs(
                "x ",
                false,
                "tcp dport 22 log prefix \"x \" flags all counter packets 1 bytes 2 drop");
        logs("x", false, "log prefix \"x\" group 5 accept;");
        logs("x", false, "log flags tcp sequence,options prefix \"x\" drop # handle 4");
        logs("x", true, "log prefix \"x\" tcp dport 22 drop");
        logs("x", true, "log prefix \"x\" ct state vmap { new : drop }");
        assertNull(LogStatement.of("tcp dport 22 drop comment \"log prefix x\""));
    }

    @Test
    void statementsOfJsonAreFound() {
        logs("x ", false, "tcp dport 23 log prefix \"x \" group 5 drop # handle 3");
        logs("y:", false, "log prefix y: # handle 3");
        logs("", true, "log tcp dport 23 drop # handle 3");
    }
}
