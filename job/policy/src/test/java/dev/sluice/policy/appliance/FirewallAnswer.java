package dev.sluice.policy.appliance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.flatten.FlatPolicy;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.model.ConnectionState;
import dev.sluice.policy.model.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;

/**
 * Answer of a slow judge.
 *
 * @param line line of the deciding rule; 0: the firewall's own
 */
public record FirewallAnswer(boolean permits, int line) {
    /** Judge of a packet that makes a mistake. */
    public interface Judge<M> {
        FirewallAnswer of(String text, FirewallPacket packet, M mistake);
    }

    /** Holds an importer to a judge on random texts, and the test to the judge's mistakes. */
    public static <M extends Enum<M>> void assertSame(
            Path folder,
            int texts,
            String[] interfaces,
            boolean bothVersions,
            Function<Random, String> drawn,
            Judge<M> judge,
            Class<M> mistakes,
            M none)
            throws IOException {
        Set<M> missed = EnumSet.allOf(mistakes);
        int[] outcomes = new int[2];
        for (int seed = 0; seed < texts; seed++) {
            Random random = new Random(seed);
            String text = drawn.apply(random);
            Path file = Files.writeString(folder.resolve("text" + seed), text);
            for (String in : interfaces) {
                for (String out : interfaces) {
                    FlatPolicy policy = read(file, in, out);
                    for (int i = 0; i < 25; i++) {
                        FirewallPacket packet = FirewallPacket.draw(random, in, out, bothVersions);
                        FlatPolicy.Answer found =
                                Objects.requireNonNull(policy.judge(packet.header()));
                        FirewallAnswer answer =
                                new FirewallAnswer(
                                        found.outcome() == Outcome.PERMIT,
                                        found.rule().origin().line());
                        String story = seed + ": " + packet + "\n" + text;
                        assertTrue(found.outcome() != Outcome.DEPENDS, story);
                        assertEquals(judge.of(text, packet, none), answer, story);
                        outcomes[answer.permits ? 1 : 0]++;
                        missed.removeIf(each -> !judge.of(text, packet, each).equals(answer));
                    }
                }
            }
        }
        assertEquals(EnumSet.of(none), missed);
        int least = texts * interfaces.length * interfaces.length * 25 / 8;
        assertTrue(outcomes[0] > least && outcomes[1] > least, outcomes[0] + ", " + outcomes[1]);
    }

    private static FlatPolicy read(Path file, String in, String out) {
        Assumptions assumed = new Assumptions(ConnectionState.NEW, in, out);
        return PolicyFile.read(file, new PolicyOptions(null, assumed, false)).flat();
    }
}
