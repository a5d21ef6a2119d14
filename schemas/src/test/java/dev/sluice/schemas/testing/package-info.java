/**
 * Test fixtures that all modules share: {@link dev.sluice.schemas.testing.TestSeed} gives random
 * tests their seeds, {@link dev.sluice.schemas.testing.SeedReport} names them where one fails. What
 * draws and compares rules is in {@code dev.sluice.engine.testing}.
 */
package dev.sluice.schemas.testing;
