"""What is played, as checked data: decks, rules, players, studies."""
