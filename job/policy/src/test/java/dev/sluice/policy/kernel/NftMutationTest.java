package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.io.SluiceException;
import dev.sluice.schemas.testing.TestData;
import dev.sluice.schemas.testing.TestSeed;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rulesets with a mistake in them: no text is accepted that nft refuses. */
class NftMutationTest {
    private static final int MUTATIONS = Integer.getInteger("sluice.test.mutations", 400);

    /** Devices that the rulesets name by {@code iif}, which must be there for nft to take them. */
    private static final List<String> DEVICES =
            List.of("lan0", "lan1", "wan0", "eth0", "wg0", "tun0", "vir0");

    private static final Path RULESETS =
            TestData.inCheckout("job/policy")
                    .resolve("src/test/resources/dev/sluice/policy/rulesets");

    @TempDir Path folder;

    @Test
    void noTextIsAcceptedThatNftRefuses() throws Exception {
        List<String> wrong = new ArrayList<>();
        int accepted = 0;
        try (KernelNamespace namespace = KernelNamespace.open(Backend.NFT, DEVICES)) {
            List<String> texts = texts(namespace);
            Random random = TestSeed.random(5500);
            RulesetMutator mutator = new RulesetMutator(random, texts);
            for (int i = 0; i < MUTATIONS; i++) {
                String text = texts.get(random.nextInt(texts.size()));
                String mutated = mutator.mutated(text);
                String change = change(text, mutated);
                boolean ofHost =
                        change.matches(".*\\b[io]if .*|.*\\b(queue|flow|include|sk[ug]id)\\b.*");
                if (ofHost || mutated.equals(text)) {
                    continue; // whether nft takes a device or a file depends on the host
                }
                if (isRead(mutated)) {
                    accepted++;
                    if (!namespace.takes(mutated, "-cf")) {
                        wrong.add(change);
                    }
                }
            }
        }
        System.out.println(accepted + " of " + MUTATIONS + " mutations were accepted");
        assertEquals(List.of(), wrong, "accepted, and refused by nft");
        assertTrue(accepted > MUTATIONS / 40, accepted + " were accepted");
    }

    /** Returns the texts that nft takes as they stand. */
    private static List<String> texts(KernelNamespace namespace) throws Exception {
        List<Path> files = new ArrayList<>(List.of(TestData.inCheckout("test-data/nft/host.nft")));
        try (Stream<Path> rulesets = Files.list(RULESETS)) {
            rulesets.sorted().forEach(files::add);
        }
        List<String> texts = new ArrayList<>();
        for (Path file : files) {
            String text = Files.readString(file).replace("flush ruleset\n", "");
            if (namespace.takes(text, "-cf")) {
                texts.add(text);
            }
        }
        assertTrue(texts.size() > files.size() / 2, texts.size() + " texts alone are taken");
        return texts;
    }

    private boolean isRead(String text) throws Exception {
        Path file = Files.writeString(folder.resolve("mutated.nft"), text);
        try {
            PolicyFile.read(file, PolicyOptions.NONE);
        } catch (SluiceException e) {
            String message = String.valueOf(e.getMessage());
            assertTrue(message.contains("mutated.nft"), message);
            return message.contains("mutated.nft: holds no chain that decides");
        }
        return true;
    }

    /** Returns the lines that differ. */
    private static String change(String text, String mutated) {
        List<String> before = text.lines().toList();
        List<String> after = mutated.lines().toList();
        int same = 0;
        while (same < Math.min(before.size(), after.size())
                && before.get(same).equals(after.get(same))) {
            same++;
        }
        int end = 0;
        while (end < Math.min(before.size(), after.size()) - same
                && before.get(before.size() - 1 - end).equals(after.get(after.size() - 1 - end))) {
            end++;
        }
        return String.join(" ", before.subList(same, before.size() - end))
                + " -> "
                + String.join(" ", after.subList(same, after.size() - end));
    }
}
