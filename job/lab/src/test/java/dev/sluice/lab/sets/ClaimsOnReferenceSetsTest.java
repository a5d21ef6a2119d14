package dev.sluice.lab.sets;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.RuleProfile;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.policy.RuleFile;
import dev.sluice.schemas.testing.SharedData;
import dev.sluice.schemas.testing.TestData;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The claims of the algorithms on the reference rule sets, by which auto chooses. */
class ClaimsOnReferenceSetsTest {
    private static String claims(Path rules, double updatesPerSecond) {
        RuleSet set = RuleFile.read(rules, null).toRuleSet("set", 1, RuleSet.DROP);
        RuleProfile profile = new RuleProfile(set, updatesPerSecond);
        return Algorithm.all().stream()
                .flatMap(a -> a.suits(profile).stream().map(c -> Map.entry(c.kind(), a.label())))
                .sorted(Comparator.comparing(Map.Entry::getKey))
                .map(claim -> claim.getKey() + " " + claim.getValue())
                .collect(Collectors.joining(", "));
    }

    @Test
    void onTheOffice() {
        Path office = TestData.office("office.ovs");
        String others = "CANDIDATE forest, CANDIDATE pairs, LAST_RESORT tuple";
        assertEquals("SMALL_IMAGE rfc, CANDIDATE merged-tuple, " + others, claims(office, 0));
        assertEquals(
                "FREQUENT_CHANGES merged-tuple, SMALL_IMAGE rfc, " + others, claims(office, 1000));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "acl1_1k acl1_10k acl1_10k_nd fw1_1k fw1_10k fw1_10k_nd ipc1_1k ipc1_10k ipc1_10k_nd"
                        + "| SMALL_IMAGE rfc, CANDIDATE merged-tuple, CANDIDATE forest, CANDIDATE pairs",
                "ipv6_10k | CANDIDATE merged-tuple, CANDIDATE forest, CANDIDATE pairs",
                "openflow_1k | CANDIDATE merged-tuple, CANDIDATE hash-tree, CANDIDATE forest",
                "openflow_10k ng_of1_2k ng_of2_10k | CANDIDATE merged-tuple, CANDIDATE hash-tree"
            })
    void onSetsOfThousands(String sets, String claims) {
        for (String set : sets.split(" ")) {
            Path rules = SharedData.folder("rules").resolve(set + ".rules.gz");
            assertEquals(claims + ", LAST_RESORT tuple", claims(rules, 0), set);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "acl1_100k fw1_100k ipc1_100k | CANDIDATE merged-tuple, CANDIDATE forest, CANDIDATE pairs",
                "openflow_128k | CANDIDATE merged-tuple, CANDIDATE hash-tree"
            })
    void onSetsOfHundredThousands(String sets, String claims) {
        onSetsOfThousands(sets, claims);
    }
}
