package dev.sluice.policy.paloalto;

import static dev.sluice.policy.appliance.FirewallPacket.pick;

import dev.sluice.policy.appliance.FirewallAnswer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reader of PAN-OS configurations against a slow judge, on random rules and packets. */
final class RandomPanTest {
    private static final String OBJECTS =
            """
            set zone inside network layer3 [ ethernet1/1 ethernet1/3 ]
            set zone outside network layer3 ethernet1/2
            set address net ip-netmask 10.0.0.0/30
            set address host ip-netmask 10.0.0.9
            set address some ip-range 10.0.0.3-10.0.0.6
            set address six ip-netmask 2001:db8::4/126
            set address-group both static [ net six ]
            set address-group all3 static [ both host ]
            set service web protocol tcp port 80-81,443
            set service dns protocol udp port 53 source-port 1024-65535
            """;

    @TempDir Path folder;

    @Test
    void everyPacketIsDecidedByTheFirstRuleOrTheDefaultOfItsZones() throws IOException {
        FirewallAnswer.assertSame(
                folder,
                40,
                new String[] {"ethernet1/1", "ethernet1/2", "ethernet1/3"},
                true,
                RandomPanTest::text,
                PanJudge::judge,
                PanJudge.Mistake.class,
                PanJudge.Mistake.NONE);
    }

    private static String text(Random random) {
        StringBuilder text = new StringBuilder(OBJECTS);
        int rules = 3 + random.nextInt(6);
        for (int i = 0; i < rules; i++) {
            String base = pick(random, "", "", "shared pre-", "shared post-");
            rule(text, "set " + base + "rulebase security rules r" + i + " ", random);
        }
        return text.toString();
    }

    private static void rule(StringBuilder text, String rule, Random random) {
        String type = pick(random, "universal", "universal", "intrazone", "interzone");
        String zone = pick(random, "any", "any", "inside", "outside", "[ inside outside ]");
        text.append(rule).append("from ").append(zone).append('\n');
        String to = type.equals("intrazone") ? zone : pick(random, "any", "inside", "outside");
        text.append(rule).append("to ").append(to).append('\n');
        for (String end : new String[] {"source", "destination"}) {
            text.append(rule).append(end).append(' ');
            text.append(pick(random, "any", "any", "both", "[ all3 some ]", "10.0.0.8/30", "some"));
            text.append('\n');
            if (random.nextInt(6) == 0) {
                text.append(rule).append("negate-").append(end).append(" yes\n");
            }
        }
        text.append(rule).append("service ");
        text.append(pick(random, "any", "any", "[ web service-https ]", "dns", "service-http"));
        text.append('\n');
        text.append(rule).append("application any\n").append(rule).append("action ");
        text.append(pick(random, "allow", "deny", "drop")).append('\n');
        text.append(rule).append("rule-type ").append(type).append('\n');
        if (random.nextInt(8) == 0) {
            text.append(rule).append("disabled yes\n");
        }
    }
}
