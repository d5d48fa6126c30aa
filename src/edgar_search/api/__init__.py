"""Operations: one function from parameters to one answer, which every interface renders."""
