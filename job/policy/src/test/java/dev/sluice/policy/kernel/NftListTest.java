package dev.sluice.policy.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.policy.PolicyFile;
import dev.sluice.policy.PolicyOptions;
import dev.sluice.policy.model.Assumptions;
import dev.sluice.policy.testing.PolicyText;
import dev.sluice.schemas.testing.TestData;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A ruleset as people write it means what the kernel's list of it means, as text and as JSON. */
class NftListTest {
    @TempDir Path folder;

    @Test
    void listsOfTheGoldenFileGiveItsPolicies() throws Exception {
        Path written = TestData.inCheckout("test-data/nft/host.nft");
        NftDump dump;
        try (KernelNamespace namespace = KernelNamespace.open(Backend.NFT, ValuePool.DEVICES)) {
            String own = Files.readString(written).replace("flush ruleset\n", "");
            dump = namespace.loadRuleset(own).orElseThrow();
        }
        Path text = Files.writeString(folder.resolve("list.nft"), dump.text());
        Path json = Files.writeString(folder.resolve("list.json"), dump.json());
        for (String hook : new String[] {"input", "forward", "output", "lan", "wan"}) {
            String expected = policy(written, hook);
            assertEquals(expected, policy(text, hook), hook + " as text");
            assertEquals(expected, policy(json, hook), hook + " as JSON");
        }
    }

    private static String policy(Path file, String hook) {
        PolicyOptions options = new PolicyOptions(hook, Assumptions.NONE, false);
        return PolicyText.of(PolicyFile.read(file, options).policies().get(0));
    }
}
