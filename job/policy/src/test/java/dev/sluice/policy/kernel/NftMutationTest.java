package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.schemas.testing.TestData;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rulesets with a mistake in them: no text is accepted that nft refuses. */
class NftMutationTest {
    private static final int MUTATIONS = Integer.getInteger("sluice.test.mutations", 400);
    private static final PolicyOptions INPUT = new PolicyOptions("input", Assumptions.NONE, false);

    @TempDir Path folder;

    @Test
    void noTextIsAcceptedThatNftRefuses() throws Exception {
        Random random = TestSeed.random(5500);
        List<String> lines =
                Files.readAllLines(TestData.inCheckout("test-data/nft/host.nft")).stream()
                        .filter(line -> !line.contains("flush ruleset"))
                        .toList();
        List<String> words = new ArrayList<>();
        lines.forEach(line -> words.addAll(List.of(line.strip().split("[ \t]+"))));
        List<String> wrong = new ArrayList<>();
        int accepted = 0;
        try (KernelNamespace namespace = KernelNamespace.open(Backend.NFT, ValuePool.DEVICES)) {
            assertTrue(namespace.takes(String.join("\n", lines), "-cf"));
            for (int i = 0; i < MUTATIONS; i++) {
                List<String> mutated = new ArrayList<>(lines);
                int at = random.nextInt(lines.size());
                if (lines.get(at).isBlank() || lines.get(at).contains("iif ")) {
                    continue; // whether nft takes a device depends on the host
                }
                mutated.set(at, mutated(lines.get(at), words, random));
                String text = String.join("\n", mutated) + "\n";
                Path file = Files.writeString(folder.resolve("mutated.nft"), text);
                try {
                    PolicyFile.read(file, INPUT);
                } catch (SluiceException e) {
                    assertTrue(
                            String.valueOf(e.getMessage()).contains("mutated.nft"), e.getMessage());
                    continue;
                }
                accepted++;
                if (!namespace.takes(text, "-cf")) {
                    wrong.add(lines.get(at).strip() + " -> " + mutated.get(at).strip());
                }
            }
        }
        System.out.println(accepted + " of " + MUTATIONS + " mutations were accepted");
        assertEquals(List.of(), wrong, "accepted, and refused by nft");
        assertTrue(accepted > MUTATIONS / 20, accepted + " were accepted");
    }

    private static String mutated(String line, List<String> words, Random random) {
        List<String> own = new ArrayList<>(List.of(line.split("(?<=[ \t])|(?=[ \t])")));
        int at = random.nextInt(own.size());
        String other = words.get(random.nextInt(words.size()));
        switch (random.nextInt(6)) {
            case 0 -> own.remove(at);
            case 1 -> own.add(at, own.get(at) + " ");
            case 2 -> own.set(at, other);
            case 3 -> own.add(at, " " + other + " ");
            case 4 -> {
                String word = own.get(at);
                int place = random.nextInt(Math.max(1, word.length()));
                own.set(
                        at,
                        word.substring(0, place)
                                + word.substring(Math.min(word.length(), place + 1)));
            }
            default -> {
                String word = own.get(at);
                int place = random.nextInt(word.length() + 1);
                char more = "0123456789.,:;{}!=<>&|-/$@\"*abcdef".charAt(random.nextInt(34));
                own.set(at, word.substring(0, place) + more + word.substring(place));
            }
        }
        return String.join("", own);
    }
}
