package dev.sluice.policy.fortigate;

import static dev.sluice.policy.appliance.FirewallPacket.pick;

import dev.sluice.policy.appliance.FirewallAnswer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The reader of FortiGate's configurations against a slow judge, on random policies and packets.
 */
final class RandomFortiTest {
    private static final String OBJECTS =
            """
            config system zone
                edit "dmz"
                    set interface "port2" "port3"
                    set intrazone %s
                next
            end
            config firewall address
                edit "net"
                    set subnet 10.0.0.0 255.255.255.252
                next
                edit "range"
                    set type iprange
                    set start-ip 10.0.0.3
                    set end-ip 10.0.0.6
                next
                edit "odd"
                    set type wildcard
                    set wildcard 10.0.0.1 255.255.255.1
                next
            end
            config firewall address6
                edit "six"
                    set ip6 2001:db8::4/126
                next
            end
            config firewall addrgrp
                edit "rest"
                    set member "range"
                    set exclude enable
                    set exclude-member "odd"
                next
            end
            config firewall service custom
                edit "high"
                    set tcp-portrange 1-443:1024-65535
                next
                edit "echo6"
                    set protocol ICMP6
                    set icmptype 128
                next
            end
            config firewall policy
            """;

    @TempDir Path folder;

    @Test
    void everyPacketIsDecidedByTheFirstPolicyOrDenied() throws IOException {
        FirewallAnswer.assertSame(
                folder,
                40,
                new String[] {"port1", "port2", "port3"},
                true,
                RandomFortiTest::text,
                FortiJudge::judge,
                FortiJudge.Mistake.class,
                FortiJudge.Mistake.NONE);
    }

    private static String text(Random random) {
        StringBuilder text =
                new StringBuilder(OBJECTS.formatted(pick(random, "allow", "deny", "deny")));
        int policies = 4 + random.nextInt(6);
        for (int i = 1; i <= policies; i++) {
            text.append("    edit ").append(i).append('\n');
            for (String end : new String[] {"src", "dst"}) {
                set(text, end + "intf", pick(random, "any", "port1", "dmz", "port1 port2"));
            }
            String versions = pick(random, "4", "4", "6", "46");
            for (String end : new String[] {"src", "dst"}) {
                if (versions.contains("4")) {
                    set(text, end + "addr", pick(random, "all", "net", "rest", "net range", "odd"));
                    if (random.nextInt(5) == 0) {
                        set(text, end + "addr-negate", "enable");
                    }
                }
                if (versions.contains("6")) {
                    set(text, end + "addr6", pick(random, "all", "all", "six", "none"));
                }
            }
            set(
                    text,
                    "service",
                    pick(random, "ALL", "HTTP DNS", "high", "PING", "ALL_ICMP6", "echo6"));
            if (random.nextInt(8) == 0) {
                set(text, "service-negate", "enable");
            }
            String action = pick(random, "accept", "accept", "deny", "");
            if (!action.isEmpty()) {
                set(text, "action", action);
            }
            set(text, "schedule", "\"always\"");
            if (random.nextInt(8) == 0) {
                set(text, "status", "disable");
            }
            text.append("    next\n");
        }
        return text.append("end\n").toString();
    }

    private static void set(StringBuilder text, String setting, String value) {
        text.append("        set ").append(setting).append(' ').append(value).append('\n');
    }
}
