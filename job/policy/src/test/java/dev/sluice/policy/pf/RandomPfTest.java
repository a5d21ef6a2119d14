package dev.sluice.policy.pf;

import static dev.sluice.policy.appliance.FirewallPacket.pick;

import dev.sluice.policy.appliance.FirewallAnswer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reader of pf.conf against a slow judge, on random rules and packets. */
final class RandomPfTest {
    @TempDir Path folder;

    @Test
    void everyPacketIsDecidedByTheLastMatchOrTheFirstQuickOne() throws IOException {
        FirewallAnswer.assertSame(
                folder,
                40,
                new String[] {"em0", "em1"},
                true,
                RandomPfTest::text,
                PfJudge::judge,
                PfJudge.Mistake.class,
                PfJudge.Mistake.NONE);
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder("set block-policy return\n");
        text.append("table <some> const { 10.0.0.0/29, !10.0.0.2/31, 10.0.0.3/32 }\n");
        text.append(pick(random, "", "block all\n", "block all\n"));
        int rules = 4 + random.nextInt(9);
        for (int i = 0; i < rules; i++) {
            if (random.nextInt(5) == 0) {
                text.append("anchor \"a").append(i).append('"');
                text.append(pick(random, "", " quick")).append(pick(random, "", " on em0"));
                text.append(pick(random, "", " inet")).append(" {\n");
                int inner = 1 + random.nextInt(3);
                for (int j = 0; j < inner; j++) {
                    text.append("  ").append(rule(random)).append('\n');
                }
                text.append("}\n");
            } else {
                text.append(rule(random)).append('\n');
            }
        }
        return text.toString();
    }

    private static String rule(Random random) {
        String action = pick(random, "pass", "pass", "block");
        String proto = pick(random, "", "tcp", "tcp", "udp", "{ tcp, udp }", "icmp");
        boolean ports = proto.contains("tcp") || proto.equals("udp");
        return action
                + pick(random, "", " in", " out")
                + pick(random, "", "", " log quick")
                + pick(random, "", "", " on em0", " on em1", " on ! em0")
                + pick(random, "", "", " inet", " inet6")
                + (proto.isEmpty() ? "" : " proto " + proto)
                + " from "
                + host(random)
                + (ports ? pick(random, "", "", " port >= 1024") : "")
                + " to "
                + host(random)
                + (ports
                        ? pick(
                                random,
                                "",
                                " port 80",
                                " port { 22, 443 }",
                                " port 53:81",
                                " port 22 >< 443",
                                " port 53 <> 443",
                                " port != 80",
                                " port < 80")
                        : "")
                + (proto.equals("icmp")
                        ? pick(random, "", " icmp-type 8", " icmp-type 8 code 1")
                        : "")
                + (proto.equals("tcp") ? pick(random, "", "", " flags any", " flags A/A") : "")
                + (action.equals("pass") ? pick(random, "", "", " keep state", " no state") : "");
    }

    private static String host(Random random) {
        return pick(
                random,
                "any",
                "any",
                "10.0.0.0/30",
                "! 10.0.0.0/29",
                "<some>",
                "! <some>",
                "{ 10.0.0.1, 10.0.0.4/30 }");
    }
}
